def draw_svg(fitted, *, max_depth=None):
    raise NotImplementedError
