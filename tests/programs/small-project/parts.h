// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
int part1(int);
int part2(int);
int part3(int);
int part4(int);
int part5(int);
int part6(int);
int part7(int);
int part8(int);
int part9(int);
