// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run.h"
#include "cli/surroundings.h"

int main(int argc, char** argv) { return sonde::run_in_usual_surroundings(sonde::run_command, argc, argv); }
