/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's interface for loading and unloading
 */
#ifndef SONDE_DEVICE_H
#define SONDE_DEVICE_H

struct seq_file;

/**
 * sonde_device_init() - create /dev/sonde
 *
 * Context: Process context, module load. May sleep.
 * Return: 0, or the errno of misc_register().
 */
int sonde_device_init(void);

/**
 * sonde_device_exit() - remove /dev/sonde
 *
 * No session is open any more: an open file pins the module.
 * Context: Process context, module unload. May sleep.
 */
void sonde_device_exit(void);

void sonde_device_wait(void);
void sonde_sessions_show(struct seq_file *to);

#endif
