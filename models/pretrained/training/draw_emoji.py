"""Cuts the emoji out of the Noto font into one file of textures.

    python3 draw_emoji.py --font /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf -o emoji.npz
"""
import argparse

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import classes

SIDE = 128        # of a texture, in pixels
REACH = 120       # the longer side of the emoji inside it
STRIKE = 109      # the only size at which the font holds its bitmaps
OPAQUE = 100      # alpha above which a pixel belongs to the emoji
OUTLINE = 96      # points around an emoji, from which boxes are made


def texture(font, code_point):
    """One emoji, cropped and centred: (SIDE, SIDE, 4) uint8."""
    canvas = Image.new("RGBA", (2 * SIDE, 2 * SIDE))
    ImageDraw.Draw(canvas).text((SIDE // 2, SIDE // 2), chr(code_point), font=font,
                                embedded_color=True)
    # Pillow blends the colours with the empty canvas: they are premultiplied now.
    canvas = Image.frombytes("RGBa", canvas.size, canvas.tobytes()).convert("RGBA")
    opaque = canvas.getchannel("A").point(lambda alpha: 255 if alpha > OPAQUE else 0)
    if not opaque.getbbox():
        raise SystemExit(f"the font has no emoji U+{code_point:X}")
    emoji = canvas.crop(opaque.getbbox())
    scale = REACH / max(emoji.size)
    emoji = emoji.resize([max(1, round(side * scale)) for side in emoji.size], Image.LANCZOS)
    square = Image.new("RGBA", (SIDE, SIDE))
    square.paste(emoji, ((SIDE - emoji.width) // 2, (SIDE - emoji.height) // 2))
    return np.asarray(square)


def outline(picture):
    """The corners of its convex hull as seen from OUTLINE directions: (OUTLINE, 2) in -1..1."""
    rows, columns = np.nonzero(picture[..., 3] > OPAQUE)
    corners = np.concatenate([np.stack([columns + dx, rows + dy], 1)
                              for dx in (0, 1) for dy in (0, 1)]) / (SIDE / 2) - 1
    angles = np.arange(OUTLINE) * 2 * np.pi / OUTLINE
    directions = np.stack([np.cos(angles), np.sin(angles)])
    return corners[(corners @ directions).argmax(0)].astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--font", default="/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
    parser.add_argument("-o", "--output", default="emoji.npz")
    options = parser.parse_args()
    font = ImageFont.truetype(options.font, STRIKE)
    known = np.stack([texture(font, code) for code in classes.CODE_POINTS])
    others = np.stack([texture(font, code) for code in classes.DISTRACTORS])
    np.savez_compressed(options.output, classes=known, distractors=others,
                        outlines=np.stack([outline(picture) for picture in known]))
    print(f"{options.output}: {len(known)} emoji to know, {len(others)} to leave alone")


if __name__ == "__main__":
    main()
