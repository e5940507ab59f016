def audit_half_written():
    return (
