"""Files are written beside and renamed: there is the old one or the new one, never half of one."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO

FilePath = str | os.PathLike[str]

#: How names of files end that are not complete yet.
_PART = ".stakes-part"
_OWN_STREAMS = re.compile(r"/dev/(?:stdout|stderr|fd/(\d+))|/proc/self/fd/(\d+)")


@contextmanager
def replacing(path: FilePath, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to be written; it takes the place of an old one once all is written and on the disk.

    What is written goes to a new file in the same folder, of a name that nobody can foresee. Where anything
    goes wrong, that file is removed and the old one stays. A symbolic link is followed. The old file's
    permissions are kept. What is no file (a device, a pipe, this program's own output) is written directly.

    Parameters
    ----------
    path : path
    private : bool
        Whether a file that did not exist may be read by its owner only.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answers.txt")
    >>> with replacing(path) as file:
    ...     _ = file.write(b"yes")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'yes'
    """
    name = os.fspath(path)
    try:
        old = _old_file(name)
        opened = _beside(name, old, private) if _is_replaced(name, old) else _open_directly(name)
        with opened as file:
            yield file
    except OSError as error:
        if error.filename is None or str(error.filename).endswith(_PART):  # a full disk does not say which
            error.filename, error.filename2 = name, None
        raise


def write_bytes(path: FilePath, data: bytes, *, private: bool = False) -> None:
    """Write a whole file; see :func:`replacing`."""
    with replacing(path, private=private) as file:
        file.write(data)


def write_text(path: FilePath, text: str, *, errors: str = "strict") -> None:
    """Write a whole file as UTF-8; see :func:`replacing`."""
    write_bytes(path, text.encode("utf-8", errors))


def check_output(path: FilePath | None, *inputs: FilePath | None) -> None:
    """Raise unless a file can be written there: before the work that would be lost, not after it.

    Parameters
    ----------
    path : path or None
        None is nothing to check.
    *inputs : path or None
        Files that the work reads; the output may be none of them. Names of no file do no harm.

    Examples
    --------
    >>> check_output("no-such-folder/model.json")
    Traceback (most recent call last):
    ...
    ValueError: no-such-folder/model.json cannot be written: its folder does not exist
    """
    if path is None:
        return
    name = os.fspath(path)
    try:
        old = _old_file(name)
        if _is_replaced(name, old):
            _check_inputs(name, old, inputs)
            _try_folder(os.path.dirname(os.path.realpath(name)), f"{name} cannot be written")
    except OSError as error:
        raise ValueError(f"{name} cannot be written: {error.strerror}") from None


def check_folder(path: FilePath) -> None:
    """Make a folder where there is none, and raise unless files can be written there."""
    name = os.fspath(path)
    problem = f"no files can be written to {name}"
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        reason = "it is a file and no folder" if os.path.isfile(name) else error.strerror
        raise ValueError(f"{problem}: {reason}") from None
    _try_folder(name, problem)


def _old_file(name: str) -> os.stat_result | None:
    """What is at a path now, symbolic links followed; it must be something that may be written."""
    try:
        old = os.stat(name)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder; a file is needed", name)
    if not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected", name)
    return old


def _is_replaced(name: str, old: os.stat_result | None) -> bool:
    """Whether a new file takes this name: neither a device, a pipe nor this program's own output has it."""
    return old is None or (stat.S_ISREG(old.st_mode) and _OWN_STREAMS.fullmatch(name) is None)


def _check_inputs(name: str, old: os.stat_result | None, inputs: tuple[FilePath | None, ...]) -> None:
    for given in inputs:
        with suppress(OSError):  # the name of a data set, or a file that will be missed when it is read
            if old is not None and given is not None and os.path.samestat(old, os.stat(given)):
                raise ValueError(
                    f"{name} cannot be written: it is what is read; name another file for output"
                )


def _try_folder(folder: str, problem: str) -> None:
    """Raise unless a file can be made there, which no look at permissions tells for sure."""
    try:
        file = _new_file(folder, 0o600)
    except FileNotFoundError:
        raise ValueError(f"{problem}: its folder does not exist") from None
    except OSError as error:
        raise ValueError(f"{problem}: no file can be made in its folder ({error.strerror})") from None
    file.close()
    os.unlink(file.name)


def _open_directly(name: str) -> IO[bytes]:
    """Open what is no file; this program's own output goes on where it is, even where it is a file."""
    if (own := _OWN_STREAMS.fullmatch(name)) is None:
        return open(name, "wb")
    sys.stdout.flush()
    number = own[1] or own[2] or ("1" if name.endswith("out") else "2")
    return os.fdopen(os.dup(int(number)), "wb")


@contextmanager
def _beside(name: str, old: os.stat_result | None, private: bool) -> Iterator[IO[bytes]]:
    target = os.path.realpath(name)
    mode = (0o600 if private else 0o666) if old is None else stat.S_IMODE(old.st_mode) & 0o777
    file = _new_file(os.path.dirname(target), mode)
    try:
        with file:
            if old is not None and sys.platform != "win32":
                with suppress(OSError):  # only root may give a file away
                    os.fchown(file.fileno(), old.st_uid, old.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(file.name)
        raise


def _new_file(folder: str, mode: int) -> IO[bytes]:
    """Make a file of a new name; what is there already, a symbolic link even, is never opened."""
    path = os.path.join(folder, f".{secrets.token_hex(8)}{_PART}")
    return open(path, "xb", opener=partial(os.open, mode=mode))
