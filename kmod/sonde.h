/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module's parts know of each other
 */
#ifndef SONDE_KMOD_H
#define SONDE_KMOD_H

/**
 * sonde_device_init() - make /dev/sonde
 *
 * Context: Process context, module load. May sleep.
 * Return: 0, or the errno of misc_register().
 */
int sonde_device_init(void);

/**
 * sonde_device_exit() - take /dev/sonde away
 *
 * No session is open any more: an open file pins the module.
 * Context: Process context, module unload. May sleep.
 */
void sonde_device_exit(void);

void sonde_device_wait(void);

#endif
