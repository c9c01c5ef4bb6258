"use strict";
// Filters, arrow keys between files, and what printing needs. The page says everything without it.
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const groups = [...document.querySelectorAll("[data-path]")].map((element) => ({
    element,
    details: element.querySelector("details"),
    status: element.dataset.status,
    text: element.textContent.toLowerCase(),
    changes: element.querySelectorAll(".changes"),
    items: [...element.querySelectorAll("li[data-status]")].map((item) => ({
      element: item,
      status: item.dataset.status,
      choices: item.dataset.choice.split(" "),
      text: `${element.dataset.path} ${item.textContent}`.toLowerCase(),
    })),
  }));
  const say = (number) => number.toLocaleString("en");
  const total = groups.reduce((sum, group) => sum + group.items.length, 0);

  const apply = () => {
    const statuses = new Set(new FormData(form).getAll("status"));
    const choice = form.elements.choice.value;
    const text = form.elements.text.value.trim().toLowerCase();
    let count = 0;
    let files = 0;
    for (const group of groups) {
      let seen = 0;
      for (const item of group.items) {
        const fits = statuses.has(item.status) && (!choice || item.choices.includes(choice)) && item.text.includes(text);
        item.element.hidden = !fits;
        seen += fits;
      }
      const itself = group.status && statuses.has(group.status) && !choice && group.text.includes(text);
      for (const changes of group.changes) changes.hidden = !statuses.has("rewritten");
      group.element.hidden = !(seen || itself);
      count += seen;
      files += !group.element.hidden;
    }
    document.getElementById("none").hidden = files > 0;
    document.getElementById("shown").textContent =
      `${say(count)} of ${say(total)} ${form.dataset.items}, in ${say(files)} of ${say(groups.length)} ${form.dataset.groups}`;
  };
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 60);
  };
  const setAll = (open) => groups.forEach((group) => { group.details.open = open; });

  form.hidden = false;
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("reset").addEventListener("click", () => {
    form.reset();
    apply();
    form.elements.text.focus();
  });
  document.getElementById("open").addEventListener("click", () => setAll(true));
  document.getElementById("close").addEventListener("click", () => setAll(false));

  // From one file's line to the next with the arrow keys.
  document.addEventListener("keydown", (event) => {
    const at = groups.findIndex((group) => group.details.querySelector("summary") === document.activeElement);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const visible = groups.filter((group) => !group.element.hidden);
    const here = visible.indexOf(groups[at]);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: visible.length - 1 }[event.key];
    if (next === undefined || !visible[next]) return;
    event.preventDefault();
    visible[next].details.querySelector("summary").focus();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));
  apply();
})();
