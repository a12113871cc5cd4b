"""What is run in an agent's pod by tests, as the agent's user: Python, which the test's image has."""

SEARCH = """
import glob, mmap, os, sys
text = sys.stdin.buffer.read()
found, read = [], 0
for folder, folders, names in os.walk("/"):
    if folder == "/":
        folders[:] = [each for each in folders if each not in ("proc", "sys")]
    for name in names:
        path = os.path.join(folder, name)
        try:
            if not os.path.isfile(path) or os.path.islink(path) or not os.path.getsize(path):
                continue
            with open(path, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                read += 1
                if whole.find(text) >= 0:
                    found.append(path)
        except (OSError, ValueError):
            continue
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        with open(path, "rb") as opened:
            if text in opened.read():
                found.append(path)
        read += 1
    except OSError:
        continue
print(read)
print("\\n".join(sorted(found)))
"""
"""Where the text on its stdin stands: in every file and every process that its user can read. Prints how
many were read, then those that have it, one a line."""

AS_THE_AGENT = """
import glob, os, sys
for path in glob.glob("/proc/[0-9]*/cmdline"):
    with open(path, "rb") as opened:
        words = opened.read().split(b"\\0")
    if b"hive_backends.scripted_agent" in words:
        with open(path.replace("cmdline", "environ"), "rb") as opened:
            pairs = [each.split(b"=", 1) for each in opened.read().split(b"\\0") if b"=" in each]
        os.environb.clear()
        os.environb.update(dict(pairs))
        os.chdir("/home/agent/work")
        os.execvp("sh", ["sh", "-c", "exec 2>&1; " + sys.argv[1]])
sys.exit("there is no agent")
"""
"""Runs its argument as a shell would in the agent's own terminal: with the same environment."""

REACH = """
import json, socket, sys
found = {}
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
        found[place] = True
    except OSError:
        found[place] = False
print(json.dumps(found))
"""
"""Which of the HOST:PORT in its arguments take a connection."""
