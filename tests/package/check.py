#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the Debian packages of a build and looks into them, without installing them: lintian has no error; the packages have what
`cmake --install` installs, each file in one of them; what each must have, and what `sonde` may depend on; the links of the installed
pages; the versions; and that uninstall.cmake removes what was installed. tests/package/run installs and uses them.

usage: check.py --build FOLDER [--keep FOLDER]      --keep: packages as ./dev package makes them, which stay there
"""

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUST_HAVE = {
    "sonde": ["usr/bin/sonde", "usr/share/man/man1/sonde.1.gz", "usr/share/bash-completion/completions/sonde", "usr/share/zsh/site-functions/_sonde",
              "usr/share/fish/vendor_completions.d/sonde.fish", "usr/lib/systemd/system/sonde@.service", "usr/share/sonde/tools/opensnoop.d", "usr/share/man/man1/sonde-opensnoop.1.gz", "usr/share/man/man7/sonde-d.7.gz", "usr/share/doc/sonde/README.md",
              "usr/share/doc/sonde/docs/install.md", "usr/share/doc/sonde/docs/examples/top-calls.d", "usr/share/doc/sonde/samples/spool/spool.c",
              "usr/share/doc/sonde/libraries/llvm-19-dev.gz"],
    "sonde-dev": ["usr/bin/dtrace", "usr/include/sonde/provider.h", "usr/include/sonde/sdt.h", "usr/include/x86_64-linux-gnu/sys/sdt.h",
                  "usr/lib/cmake/Sonde/SondeConfig.cmake", "usr/share/pkgconfig/sonde.pc"],
    "sonde-dkms": ["usr/src/sonde-VERSION/dkms.conf", "usr/src/sonde-VERSION/kmod/Kbuild", "usr/src/sonde-VERSION/kmod/shared/dif.c",
                   "usr/lib/udev/rules.d/60-sonde.rules", "usr/lib/sysusers.d/sonde.conf"],
}
MAY_DEPEND = {"libc6", "libgcc-s1", "libstdc++6", "libzstd1", "libzydis4.0"}  # no compiler, and nothing that has one
# what only a package has: what debhelper makes, and what stands in packaging/debian
OF_PACKAGES = re.compile(r"usr/share/doc/[\w-]+/(copyright|changelog(\.gz)?)|usr/share/lintian/.*|usr/share/doc/sonde/libraries/.*|"
                         r"usr/bin/dtrace|usr/share/man/man1/dtrace\.1\.gz|usr/include/x86_64-linux-gnu/sys/sdt\.h")

wrong = []


def expect(holds, what):
    if not holds:
        wrong.append(what)


def run(*argv, status=0, **more):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=240, **more)
    if status is not None and done.returncode != status:
        sys.exit(f"{' '.join(map(str, argv))}: status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}


def look_at_packages(debs, version, work):
    """The files of all packages, without what only packages have."""
    everything = {}
    for name, must in MUST_HAVE.items():
        found = [deb for deb in debs if deb.name.startswith(f"{name}_")]
        expect(len(found) == 1, f"{name}: {len(found)} packages")
        if len(found) != 1:
            continue
        folder = work / name
        run("dpkg-deb", "-x", found[0], folder)
        inside = files_below(folder)
        for path in must:
            expect(path.replace("VERSION", version) in inside, f"{name} has no {path}")
        for path in inside:
            expect(path not in everything, f"{path} is in {name} and in {everything.get(path)}")
            everything[path] = name
        expect(run("dpkg-deb", "-f", found[0], "Version").strip() == version, f"{name} has not version {version}: packaging/debian/changelog")
    depends = {re.match(r"\S+", one.strip())[0] for one in run("dpkg-deb", "-f", next(d for d in debs if d.name.startswith("sonde_")), "Depends").split(",")}
    expect(depends <= MAY_DEPEND, f"sonde depends on {sorted(depends - MAY_DEPEND)}")
    return {path.removesuffix(".gz") if "/man/" in path else path for path in everything if not OF_PACKAGES.fullmatch(path)}


def look_at_command(folder, version):
    command = folder / "usr/bin/sonde"
    expect(version in run(command, "-V"), f"sonde -V does not print {version}")
    expect(".debug_info" not in run("readelf", "-SW", command), "the command has its debug information")
    expect(".symtab" not in run("readelf", "-SW", command), "the command is not stripped")


def look_at_install(build, work):
    """cmake --install, and the removal of what it installed."""
    prefix = work / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    installed = {f"usr/{path}" for path in files_below(prefix)}
    (prefix / "share/man/man1/other.1").touch()
    print(run("cmake", f"-DLISTS={build}/installed/{hashlib.md5(str(prefix).encode()).hexdigest()}", "-P", ROOT / "cmake/uninstall.cmake").strip())
    left = files_below(prefix)
    expect(left == {"share/man/man1/other.1"}, f"the target uninstall leaves {sorted(left)[:9]}")
    folders = [str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.name.lower().startswith("sonde")]
    expect(not folders, f"the target uninstall leaves the folders {folders}")
    expect("uninstall:" in run("ninja", "-C", build, "-t", "targets", "all"), "there is no target uninstall")
    return installed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    for tool in ("dh", "dh_dkms", "lintian"):
        if subprocess.run(["which", tool], capture_output=True, check=False).returncode != 0:
            print(f"skipped: no {tool}: debhelper, dh-dkms and lintian")
            return 77
    version = re.search(r"project\(sonde VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    expect(f'PACKAGE_VERSION="{version}"' in (ROOT / "kmod/dkms.conf").read_text(), f"kmod/dkms.conf has not version {version}")
    with tempfile.TemporaryDirectory(prefix="sonde-package-") as name:
        work = pathlib.Path(name)
        quick = {} if arguments.keep else {"SONDE_COMPRESSION": "-Zgzip -z1"}
        debs = [pathlib.Path(line) for line in run(ROOT / "packaging/build", arguments.build, arguments.keep or work / "debs", env=os.environ | quick).splitlines()]
        packaged = look_at_packages(debs, version, work)
        look_at_command(work / "sonde", version)
        installed = look_at_install(arguments.build, work)
        expect(packaged == installed, f"only in packages: {sorted(packaged - installed)[:9]}; only by cmake --install: {sorted(installed - packaged)[:9]}")
        pages = subprocess.run([sys.executable, ROOT / "tests/checks/pages.py", work / "sonde/usr/share/doc/sonde"], capture_output=True, text=True, check=False)
        expect(pages.returncode == 0, "links of the installed pages:\n" + pages.stdout)
        manuals = subprocess.run([sys.executable, ROOT / "tests/checks/manuals.py", work / "sonde/usr/share/man"], capture_output=True, text=True, check=False)
        expect(manuals.returncode == 0, "installed manual pages:\n" + manuals.stdout)
        hints = run("lintian", "--allow-root", "--tag-display-limit", "0", *debs, status=None)
        expect(not re.search("^E:", hints, re.M), hints)
        print(f"{len(debs)} packages, {len(packaged)} files; {pages.stdout.splitlines()[-1]}; {manuals.stdout.splitlines()[-1]}; lintian: {len(hints.splitlines())} lines")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
