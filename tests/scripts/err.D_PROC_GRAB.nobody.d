/* @sonde: -x quiet */
pid999999999:a.out:main:entry { }
