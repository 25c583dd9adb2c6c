"""Globs of paths, by trying every way to read them (SEMANTICS section 6)."""

from __future__ import annotations


def matches(glob: str, path: str) -> bool:
    """Whether all of a path matches a glob: `*` and `?` do not cross `/`, `**` does.

    `**/` stands for any number of folders, also for none; a class `[a-c]` or `[!a-c]` for one
    character that is no `/`; a bracket without its end for itself.
    """
    if not glob:
        return not path
    if glob.startswith("**/"):
        starts = [0, *(at + 1 for at, mark in enumerate(path) if mark == "/")]
        return any(matches(glob[3:], path[start:]) for start in starts)
    if glob.startswith("**"):
        return any(matches(glob[2:], path[start:]) for start in range(len(path) + 1))
    if glob.startswith("*"):
        end = path.find("/") if "/" in path else len(path)
        return any(matches(glob[1:], path[start:]) for start in range(end + 1))
    if glob.startswith("?"):
        return path[:1] not in ("", "/") and matches(glob[1:], path[1:])
    body = _class_of(glob)
    if body is not None:
        return (
            path[:1] not in ("", "/") and _is_in(body, path[0]) and matches(glob[len(body) + 2 :], path[1:])
        )
    return path[:1] == glob[0] and matches(glob[1:], path[1:])


def _class_of(glob: str) -> str | None:
    """What stands in the brackets that a glob begins with; a `]` right after the opening is one of it."""
    first = 2 if glob[1:2] == "!" else 1
    end = glob.find("]", first + 1)
    return glob[1:end] if glob[0] == "[" and end > 0 else None


def _is_in(body: str, character: str) -> bool:
    wanted = body.removeprefix("!")
    found, at = False, 0
    while at < len(wanted):
        if wanted[at + 1 : at + 2] == "-" and at + 2 < len(wanted):
            found |= wanted[at] <= character <= wanted[at + 2]
            at += 3
        else:
            found |= wanted[at] == character
            at += 1
    return found != body.startswith("!")
