# SPDX-License-Identifier: GPL-3.0-or-later
"""The same checks, run by a user without privileges."""

import attach
import commands
import counts
import killed
import memory
import messages
from support import scenario


@scenario(seconds=600)
def user_counts(world):
    user = world.as_user()
    counts.check_calls(user)
    counts.exec_success_of_a_script(user)
    counts.malloc_exact_in_one_thread_and_four(user)
    counts.read_latency_histogram(user)


@scenario()
def user_memory(world):
    user = world.as_user()
    memory.openat_prints_the_path(user)
    memory.openat_prints_the_path_at_return(user)
    memory.untouched_page(user)


@scenario()
def user_attaches(world):
    user = world.as_user()
    attach.attach_count_detach(user)
    attach.attach_functions(user)


@scenario()
def user_runs_commands(world):
    user = world.as_user()
    commands.compiler_makes_the_same_program(user)
    commands.shell_pipeline(user)
    commands.signals_are_the_programs_own(user)


@scenario(seconds=600)
def user_killed(world):
    user = world.as_user()
    killed.sigkill_during_command(user)


@scenario()
def user_messages(world):
    user = world.as_user()
    messages.unknown_probe_is_explained(user)
    messages.exit_statuses(user)
