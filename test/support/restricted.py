"""Runs a command under the system call and address family restrictions of a unit, as systemd applies them by seccomp.

Arguments: a JSON object {"allowed": [system call names], "families": [address family names], "error": errno name}, then the command.
"""
import errno, json, os, socket, sys
import seccomp

rules = json.loads(sys.argv[1])
AF_MAX = 46

families = seccomp.SyscallFilter(seccomp.ALLOW)
permitted = {int(getattr(socket, name)) for name in rules["families"]}
for family in set(range(AF_MAX)) - permitted:
    families.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.EQ, family))

calls = seccomp.SyscallFilter(seccomp.ERRNO(getattr(errno, rules["error"])))
for name in rules["allowed"]:
    try:
        calls.add_rule(seccomp.ALLOW, name)
    except (RuntimeError, ValueError):
        pass  # this processor, or this version of the library, has no such call

families.load()
if rules["allowed"]:  # a unit without a list allows all
    calls.load()
os.execvp(sys.argv[2], sys.argv[2:])
