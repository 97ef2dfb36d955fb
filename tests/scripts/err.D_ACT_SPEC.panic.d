/* @sonde: -w -q */
BEGIN { this->w = speculation(); speculate(this->w); panic(); }
/* @rows: act.impossible */
