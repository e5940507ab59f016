def compare_half_written():
    return (
