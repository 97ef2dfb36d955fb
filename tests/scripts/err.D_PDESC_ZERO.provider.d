fbt::vfs_read:entry { @ = count(); }
