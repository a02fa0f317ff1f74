"""Values of tools as JSON. Nothing here raises, whatever a tool takes or returns."""

from __future__ import annotations

import itertools
import json
import re
import weakref
from typing import Any

MAX_DEPTH = 100

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_next_number = itertools.count(1)


def plain(value: Any) -> Any:
    """The value as JSON would transfer it; what JSON cannot represent becomes a string."""
    try:
        return _as_json(value)
    except Exception:
        return _in_parts(value, ())


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=text_of), parse_constant=str)


def _in_parts(value: Any, around: tuple[Any, ...]) -> Any:
    """Like :func:`plain`, for a value that contains itself, or something that JSON does not know."""
    if isinstance(value, (dict, list, tuple)):
        if len(around) > MAX_DEPTH or any(one is value for one in around):
            return "…"
        within = (*around, value)
        if isinstance(value, dict):
            return {text_of(key): _in_parts(each, within) for key, each in value.items()}
        return [_in_parts(each, within) for each in value]
    try:
        return _as_json(value)
    except Exception:
        return text_of(value)


def text_of(value: Any) -> str:
    """
    The value as a string. An address becomes a number that no other object has: the next object may be at the same address,
    and two calls with different objects are not the same.
    """
    try:
        text = str(value)
    except Exception:
        text = object.__repr__(value)
    return _ADDRESS.sub(lambda _: f" #{_number(value)}", text)


def _number(value: Any) -> int:
    try:
        return _numbers.setdefault(value, next(_next_number))
    except Exception:
        return next(_next_number)
