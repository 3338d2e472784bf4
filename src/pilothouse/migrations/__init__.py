"""Schema changes, one file each: expand, backfill by job, contract one minor later."""

KNOWN = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"),
    *("0011", "0015", "0012", "0016", "0017", "0018", "0019", "0020", "0021", "0022", "0023"),
)
HEAD = KNOWN[-1]
