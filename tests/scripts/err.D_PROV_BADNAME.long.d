provider pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp {
	probe start();
};
