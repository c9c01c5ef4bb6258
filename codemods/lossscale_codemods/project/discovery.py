# SPDX-License-Identifier: Apache-2.0
"""Which files a run looks at: folders are walked, honouring `.gitignore` and the usual excludes."""

from __future__ import annotations

import codecs
import dataclasses
import errno
import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from lossscale_codemods.source.reading import read_settings

SUFFIXES = (".py", ".pyi", ".ipynb")
CONFIG_SUFFIXES = (".json", ".toml", ".yaml", ".yml")
"""Files that are looked at if a folder is named, and they spell an old name."""
EXCLUDED_FOLDERS = frozenset(
    {
        ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
        ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__",
        "node_modules", "site-packages", "venv",
    }
)  # fmt: skip
_SHEBANG = re.compile(rb"(?:\xef\xbb\xbf)?#!.*python")
_LONGEST_SHEBANG = 128
_OLD_PATH = re.compile(rb"mixed_precision\W{1,2}experimental|\.experimental\W\w*LossScale")
_LONGEST_CONFIG = 1 << 20
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


@dataclasses.dataclass(frozen=True)
class DiscoveredFile:
    """A file to look at.

    Attributes:
        name: The file's path, spelled from the path that was named.
        root: The real path of the folder that was named; nothing outside it is written.
    """

    name: str
    root: str

    @property
    def path(self) -> Path:
        """The file, spelled from the path that was named."""
        return Path(self.name)


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A path that is not looked at, with the reason.

    Attributes:
        path: The path.
        reason: Why it is not.
        failed: Whether it should have been looked at, and could not.
    """

    path: Path
    reason: str
    failed: bool = False


Entry: TypeAlias = DiscoveredFile | Skipped


def discover(
    paths: Sequence[Path], *, no_ignore: bool = False, exclude: Sequence[str] = ()
) -> Iterator[Entry]:
    """Yields the files below the paths, each once, in a stable order.

    Args:
        paths: Files and folders.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Patterns as in `.gitignore` of further files and folders to leave out. One with a
            slash starts at the root of the file system: see `patterns_from`.
    """
    seen: set[str] = set()
    excluded = IgnoreFile.of(Path("/"), exclude)
    for path in paths:
        for entry in _discover_one(path, no_ignore, excluded):
            if isinstance(entry, DiscoveredFile):
                known_by = os.path.realpath(entry.name)
            else:
                known_by = f"skipped {os.path.abspath(entry.path)}"  # noqa: PTH100  # keeps links
            if known_by not in seen:
                seen.add(known_by)
                yield entry


def patterns_from(folder: str, patterns: Sequence[str]) -> list[str]:
    """Returns patterns of `exclude` as they are from the root of the file system on.

    Args:
        folder: Where a pattern with a slash starts.
        patterns: The patterns. One without a slash is a name, in whatever folder.
    """
    start = re.sub(r"([\\*?\[!#])", r"\\\1", folder.rstrip("/"))
    return [
        pattern if "/" not in pattern.removesuffix("/") else _joined(start, pattern)
        for pattern in patterns
    ]


def _joined(start: str, pattern: str) -> str:
    negation = "!" if pattern.startswith("!") else ""
    rest = pattern.removeprefix("!").removeprefix("./").removeprefix("/")
    return f"{negation}{start}/{rest}"


def _discover_one(path: Path, no_ignore: bool, exclude: IgnoreFile) -> Iterator[Entry]:
    # resolve() would follow links.
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # the current folder may be gone
    skipped = _why_skipped(path)
    read = [] if no_ignore else list(_ignore_files_above(absolute))
    ignores = [file for file in read if isinstance(file, IgnoreFile)]
    yield from (file for file in read if isinstance(file, Skipped))
    if skipped is None and not no_ignore:
        named = 1 if path.is_absolute() else len(path.parts)
        ignored = _why_ignored(absolute, ignores, exclude, named)
        skipped = Skipped(path, ignored) if ignored is not None else None
    if skipped is not None:
        yield skipped
    elif os.path.isdir(path):
        real = os.path.realpath(path)
        applying = [(file, f"{absolute.relative_to(file.folder).as_posix()}/") for file in ignores]
        shown = "" if str(path) == "." else str(path)
        top = _Folder(shown, real, applying, f"{absolute.as_posix().lstrip('/')}/".lstrip("/"))
        yield from _Walk(real, no_ignore, exclude).below(top)
    else:
        root = os.path.realpath(absolute.parent)
        yield DiscoveredFile(str(path), root)


def _why_skipped(path: Path) -> Skipped | None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            return _unreachable(path, error)
        if path.is_symlink():
            return Skipped(path, "it is a link to nothing")
        return Skipped(path, "there is no such file", failed=True)
    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
        return None
    return Skipped(path, "it is no regular file")


def _unreachable(path: Path, error: OSError) -> Skipped:
    return Skipped(path, f"it cannot be reached: {error.strerror or error}", failed=True)


def _why_ignored(
    path: Path, ignores: Sequence[IgnoreFile], exclude: IgnoreFile, named: int
) -> str | None:
    """Says why a path is ignored, of which the user named the last `named` parts."""
    if path.name in EXCLUDED_FOLDERS and os.path.isdir(path):
        return f"folders called {path.name} are left out; --no-ignore overrides"
    for part in [path, *path.parents][:named]:
        if _is_excluded(exclude, part.as_posix()[1:], is_folder=part != path or path.is_dir()):
            return "the configuration or --exclude leaves it out; --no-ignore overrides"
    for part in [*reversed(path.parents), path]:
        inner = [
            (i, part.relative_to(i.folder).as_posix()) for i in ignores if i.folder in part.parents
        ]
        ignored_by = ignoring(inner, is_folder=os.path.isdir(part))
        if ignored_by is not None:
            file, pattern = ignored_by
            where = file.folder / ".gitignore"
            return f"{where} ignores it by the line {pattern.line!r}; --no-ignore overrides"
    return None


def _ignore_file(folder: Path) -> IgnoreFile | Skipped | None:
    path = folder / ".gitignore"
    try:
        return IgnoreFile.read(path)
    except OSError as error:
        if not os.path.lexists(path):
            return None
        why = f"it cannot be read, so nothing is left out for its sake: {error.strerror}"
        return Skipped(path, why, failed=True)


def _ignore_files_above(path: Path) -> Iterator[IgnoreFile | Skipped]:
    """Yields the `.gitignore` files that apply to a path, from the repository's top down."""
    folders = []
    for folder in path.parents:
        folders.append(folder)
        if os.path.exists(folder / ".git"):
            break
    else:
        folders = [path.parent]
    for folder in reversed(folders):
        ignore_file = _ignore_file(folder)
        if ignore_file is not None:
            yield ignore_file


@dataclasses.dataclass(frozen=True)
class _Folder:
    """A folder on the way.

    Attributes:
        shown: The folder, spelled from the path that was named.
        real: Its real path.
        applying: The `.gitignore` files above it, each with the folder's path from there.
        absolute: Its path from the root of the file system, which it is known by to `exclude`.
    """

    shown: str
    real: str
    applying: Sequence[tuple[IgnoreFile, str]]
    absolute: str


@dataclasses.dataclass(frozen=True)
class _Walk:
    """A walk through a folder that was named.

    Paths are strings here: on a tree of small files, path objects would take longer than reading.
    """

    root: str
    no_ignore: bool
    exclude: IgnoreFile

    def below(self, top: _Folder) -> Iterator[Entry]:
        """Yields what is in a folder, and in the folders in it."""
        # No call for each level: there can be more levels than Python has calls.
        entered = [self._inside(top)]
        while entered:
            one = next(entered[-1], None)
            if one is None:
                entered.pop()
            elif isinstance(one, _Folder):
                entered.append(self._inside(one))
            else:
                yield one

    def _inside(self, folder: _Folder) -> Iterator[_Folder | Entry]:
        """Yields the folders and files of one folder, by their names."""
        shown, applying = folder.shown, folder.applying
        try:
            with os.scandir(folder.real) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror}"
            yield Skipped(Path(shown), reason, failed=True)
            return
        if not self.no_ignore and any(entry.name == ".gitignore" for entry in entries):
            own = _ignore_file(Path(folder.real))
            if isinstance(own, IgnoreFile):
                applying = [*applying, (own, "")]
            elif own is not None:
                yield dataclasses.replace(own, path=Path(shown, ".gitignore"))
        for entry in entries:
            name = entry.name
            path = os.path.join(shown, name)  # noqa: PTH118  # see the class
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_doubtful = not is_folder and not name.endswith(SUFFIXES)
                if is_doubtful and "." in name and not name.endswith(CONFIG_SUFFIXES):
                    continue
                place = folder.absolute + name
                if not self.no_ignore and self._leaves_out(name, place, is_folder, applying):
                    continue
                if is_doubtful and not _is_looked_at(entry):
                    continue
                if is_folder:
                    inner = [(file, f"{above}{name}/") for file, above in applying]
                    yield _Folder(path, entry.path, inner, f"{place}/")
                else:
                    yield self._file(entry, path)
            except OSError as error:
                yield _unreachable(Path(path), error)

    def _file(self, entry: os.DirEntry[str], path: str) -> Entry:
        reason = "it is a link to nothing, or to a folder"
        try:
            if entry.is_file():
                return DiscoveredFile(path, self.root)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
        reason = reason if entry.is_symlink() else "it is no regular file"
        return Skipped(Path(path), reason)

    def _leaves_out(
        self, name: str, place: str, is_folder: bool, applying: Sequence[tuple[IgnoreFile, str]]
    ) -> bool:
        if is_folder and name in EXCLUDED_FOLDERS:
            return True
        if _is_excluded(self.exclude, place, is_folder=is_folder):
            return True
        below = [(file, above + name) for file, above in applying]
        return bool(below) and ignoring(below, is_folder=is_folder) is not None


def _is_excluded(exclude: IgnoreFile, place: str, *, is_folder: bool) -> bool:
    pattern = exclude.match(place, is_folder=is_folder)
    return pattern is not None and not pattern.negated


def _is_looked_at(entry: os.DirEntry[str]) -> bool:
    """Whether configuration may spell an old name, or a file without a suffix is a program.

    Its first line says so. It need not be executable: it can be run by `python NAME`, and copies
    lose their mode.
    """
    if entry.name.endswith(CONFIG_SUFFIXES):
        return _OLD_PATH.search(_start_of(entry, _LONGEST_CONFIG)) is not None
    return _SHEBANG.match(_start_of(entry, _LONGEST_SHEBANG)) is not None


def _start_of(entry: os.DirEntry[str], size: int) -> bytes:
    """Returns the first bytes of a file; none if it is no regular file, or cannot be read."""
    try:
        if not entry.is_file():
            return b""
        # Whatever took its place meanwhile, a pipe for one, must not block.
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(descriptor, size)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


_LONGEST = 4096
"""No path is longer: https://man7.org/linux/man-pages/man3/realpath.3.html."""
_NOTHING = re.compile(r"(?!)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TRAILING_SPACES = re.compile(r"(?<!\\) +\Z")


@dataclasses.dataclass(frozen=True)
class Pattern:
    """One line of a `.gitignore`.

    Attributes:
        line: The line as it is written.
        above: What matches the folders in a path, one after the other; nothing stands for `**`.
        name: Matches the last part of a path.
        negated: Whether it takes files back in.
        only_folders: Whether it means folders only.
    """

    line: str
    above: tuple[re.Pattern[str] | None, ...]
    name: re.Pattern[str]
    negated: bool
    only_folders: bool

    def matches(self, relative: str) -> bool:
        """Whether it means a path, which starts at the folder of the file."""
        *folders, name = relative.split("/")
        return self.name.fullmatch(name) is not None and self._matches_above(folders)

    def _matches_above(self, folders: Sequence[str]) -> bool:
        # To come back to the last `**` alone is enough: it can take what an earlier one would.
        part, position, again = 0, 0, None
        while position < len(folders):
            expected = self.above[part] if part < len(self.above) else _NOTHING
            if expected is None:
                part += 1
                again = (part, position)
            elif expected.fullmatch(folders[position]):
                part, position = part + 1, position + 1
            elif again is not None:
                part, position = again[0], again[1] + 1
                again = (part, position)
            else:
                return False
        return not any(self.above[part:])


@dataclasses.dataclass(frozen=True)
class IgnoreFile:
    """The patterns of one `.gitignore`, as git reads them, but for classes such as `[[:alpha:]]`.

    Python's own `fnmatch` matches the parts of a path between slashes. `pathspec` matches whole
    paths, in a time that grows with the power of a line's stars: six of them, `*a*a*a*a*a*a*b`,
    take it more than a minute for a name of 100 letters, so that a stranger's file can hang a run.
    See https://git-scm.com/docs/gitignore#_pattern_format.
    """

    folder: Path
    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> IgnoreFile:
        """Returns the patterns of some lines, as if they were in a file in a folder."""
        parsed = map(parse, lines)
        return cls(folder, tuple(pattern for pattern in parsed if pattern is not None))

    @classmethod
    def read(cls, path: Path) -> IgnoreFile | None:
        """Reads a file; nothing if there is none.

        Raises:
            OSError: There is one, and it cannot be read.
        """
        try:
            content = read_settings(path).removeprefix(codecs.BOM_UTF8)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        return cls.of(path.parent, os.fsdecode(content).split("\n"))

    def match(self, relative: str, *, is_folder: bool) -> Pattern | None:
        """Returns the last pattern that says something about a path, which starts at the folder."""
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.only_folders) and pattern.matches(relative):
                return pattern
        return None


def ignoring(
    files: Iterable[tuple[IgnoreFile, str]], *, is_folder: bool
) -> tuple[IgnoreFile, Pattern] | None:
    """Returns what ignores a path: the innermost file that says anything decides.

    Args:
        files: The `.gitignore` files above the path, outermost first, each with the path from
            there.
        is_folder: Whether the path is a folder.
    """
    decision = None
    for file, relative in files:
        pattern = file.match(relative, is_folder=is_folder)
        if pattern is not None:
            decision = None if pattern.negated else (file, pattern)
    return decision


def parse(line: str) -> Pattern | None:
    """Parses one line; nothing for comments, and for lines that mean no path."""
    text = _TRAILING_SPACES.sub("", line.removesuffix("\r"))
    if text.startswith("#"):
        return None
    body = text.removeprefix("!")
    path = body.removesuffix("/")
    if not path or len(path) > _LONGEST:
        return None
    # A name by itself is meant in every folder.
    parts = path.removeprefix("/").split("/") if "/" in path else ["**", path]
    *above, name = [*parts, "*"] if parts[-1] == "**" else parts
    try:
        folders = tuple(None if part == "**" else _translated(part) for part in above)
        return Pattern(text, folders, _translated(name), text != body, path != body)
    except re.error:
        return None  # Python before 3.10.5 does not read every set of characters.


def _translated(part: str) -> re.Pattern[str]:
    """Returns the expression of a part between slashes, in a form that Python shares with git."""
    unescaped = _ESCAPED.sub(lambda m: f"[{m[1]}]" if m[1] in "*?[" else m[1], part)
    return re.compile(fnmatch.translate(unescaped.replace("[^", "[!")))
