# SPDX-License-Identifier: GPL-3.0-or-later
# Ruby fires method-entry and its like only while a TracePoint is on. Programs of -c load this by RUBYOPT.
TracePoint.new(:call, :return, :c_call, :c_return) {}.enable
