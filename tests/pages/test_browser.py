# SPDX-License-Identifier: Apache-2.0
"""The pages in a real browser: filters, keys, colour schemes, narrow screens, without a script.

What needs no browser is tested without one, in test_page.py and beside the reports.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="needs selenium (pip install --group test)")

from lossscale_codemods.reports.html_page import as_html_page
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from compat_lossscale import loss_scale_report
from compat_lossscale.pages import page
from tests.watching.histories import history_of, skipping

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None or DRIVER is None,
        reason="needs Chromium and its driver (Debian: apt-get install chromium chromium-driver)",
    ),
]
OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
ATTACK = "</script><img src=x onerror=\"document.title='taken'\">"
Open = Callable[..., webdriver.Chrome]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "change.py").write_text(OLD)
    (folder / "review.py").write_text(OLD.replace("float32", "infer") + "# a DynamicLossScale\n")
    (folder / "broken.py").write_text(OLD + "(\n")
    (folder / f"{ATTACK[:9].replace('/', '')}<img src=x onerror=alert(1)>.py").write_text(
        OLD + f"# {ATTACK} DynamicLossScale\nx = '''{ATTACK}'''\n"
    )
    target = folder / "report.html"
    run = migrate_files.run([folder], Options(), jobs=1)
    page.write(target, as_html_page(run, write=False, target="tf-keras"))
    return target


@pytest.fixture(scope="module")
def loss_scale_report_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    history = history_of(skipping(400, range(8), 100), initial_scale=2.0**30)
    target = tmp_path_factory.mktemp("run") / "report.html"
    loss_scale_report(history, target)
    return target


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium: webdriver.Chrome) -> Open:
    """Opens a page in the one window that all tests use."""

    def open_page(path: Path, width: int = 1280, *, script: bool = True, dark: bool = False) -> Any:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        chromium.get("about:blank")
        for log in ("browser", "performance"):
            chromium.get_log(log)  # What the page before has left there.
        chromium.get(path.as_uri())
        return chromium

    return open_page


def visible(driver: webdriver.Chrome, css: str) -> list[str]:
    return [e.text for e in driver.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()]


def until(driver: webdriver.Chrome, condition: Callable[[Any], object]) -> None:
    WebDriverWait(driver, 20).until(condition)


def test_it_loads_nothing_runs_nothing_of_what_it_shows_and_complains_of_nothing(
    browser: Open, report: Path
) -> None:
    driver = browser(report)
    assert driver.title == "Migration report"
    assert driver.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    requested = {
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    }
    assert requested <= {report.as_uri()}
    assert not driver.find_elements(By.TAG_NAME, "img")


def test_the_report_on_a_loss_scale_loads_nothing_and_complains_of_nothing(
    browser: Open, loss_scale_report_page: Path
) -> None:
    driver = browser(loss_scale_report_page)
    assert driver.title == "Loss scale report"
    assert driver.get_log("browser") == []
    assert not driver.find_elements(By.TAG_NAME, "img")
    line = driver.find_element(By.CSS_SELECTOR, ".chart .line")
    color = "return getComputedStyle(arguments[0]).stroke"
    light = driver.execute_script(color, line)
    assert light != "none"
    dark = browser(loss_scale_report_page, dark=True)
    assert dark.execute_script(color, dark.find_element(By.CSS_SELECTOR, ".chart .line")) != light


@pytest.mark.parametrize("width", [320, 1280])
def test_the_report_on_a_loss_scale_fits_the_screen(
    browser: Open, loss_scale_report_page: Path, width: int
) -> None:
    driver = browser(loss_scale_report_page, width)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert visible(driver, "article.rule h3")


def test_filters_by_status_rule_and_text(browser: Open, report: Path) -> None:
    driver = browser(report)
    shown = driver.find_element(By.ID, "shown")
    total = len(visible(driver, "li[data-status]"))
    assert shown.text == f"{total} of {total} findings, in 4 of 4 files"
    for status in ("rewritten", "mentioned", "unreadable"):
        driver.find_element(By.CSS_SELECTOR, f"input[value={status}]").click()
    until(driver, lambda _: shown.text == f"1 of {total} findings, in 1 of 4 files")
    assert visible(driver, ".file h3") == [str(report.with_name("review.py"))]
    driver.find_element(By.NAME, "text").send_keys("no such thing")
    until(driver, lambda _: driver.find_element(By.ID, "none").is_displayed())
    driver.find_element(By.ID, "reset").click()
    until(driver, lambda _: len(visible(driver, ".file")) == 4)
    driver.find_element(By.CSS_SELECTOR, "option[value=LS801]").click()
    until(driver, lambda _: len(visible(driver, ".file")) == 2)
    assert {text.split()[0] for text in visible(driver, "li .chip")} == {"mentioned"}


def test_everything_can_be_reached_by_keys(browser: Open, report: Path) -> None:
    driver = browser(report)

    def focused() -> str:
        return str(
            driver.execute_script(
                "const e = document.activeElement;"
                "return e.value || e.closest('[data-path]')?.dataset.path || e.id || e.textContent"
            )
        )

    order = []
    for _ in range(30):
        webdriver.ActionChains(driver).send_keys(Keys.TAB).perform()
        order.append(focused())
    assert order[0] == "Skip to what was found"
    assert order.index("rewritten") < order.index("needs-review") < order.index("open")
    paths = [e.get_attribute("data-path") for e in driver.find_elements(By.CLASS_NAME, "file")]
    summary = driver.find_element(By.TAG_NAME, "summary")
    driver.execute_script("arguments[0].focus()", summary)
    for key, expected in ((Keys.ARROW_DOWN, 1), (Keys.END, 3), (Keys.ARROW_UP, 2), (Keys.HOME, 0)):
        webdriver.ActionChains(driver).send_keys(key).perform()
        assert focused() == paths[expected]
    webdriver.ActionChains(driver).send_keys(Keys.ENTER).perform()
    assert driver.find_element(By.TAG_NAME, "details").get_attribute("open") is None


def test_without_a_script_everything_is_there_but_the_filters(browser: Open, report: Path) -> None:
    parts = ("article.file", "li[data-status]", "table.diff", "article.rule", ".tiles div")
    driver = browser(report)
    with_script = {css: visible(driver, css) for css in parts}
    without = browser(report, script=False)
    assert not without.find_element(By.ID, "filters").is_displayed()
    for css in parts:
        assert visible(without, css) == with_script[css] != []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_it_fits_the_screen(browser: Open, report: Path, width: int) -> None:
    driver = browser(report, width)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    for rule in driver.find_elements(By.CSS_SELECTOR, ".totals a"):
        assert driver.execute_script("return arguments[0].getClientRects().length", rule) == 1


def test_it_follows_the_readers_colour_scheme(browser: Open, report: Path) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert browser(report).execute_script(ground) == "rgb(247, 248, 250)"
    assert browser(report, dark=True).execute_script(ground) == "rgb(15, 18, 23)"
