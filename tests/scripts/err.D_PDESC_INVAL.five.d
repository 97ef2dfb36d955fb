a:b:c:d:e
{
}

/* @rows: msg.overspecified */
