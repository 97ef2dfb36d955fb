// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run.h"

int main(int argc, char** argv) { return sonde::run_command(argc, argv); }
