#!/usr/bin/env python3
"""Makes the pictures of the synthetic camera, in this folder. On Debian 12:
    apt-get install fonts-noto-color-emoji python3-fonttools python3-pil python3-skimage
"""
import io
import os

from fontTools.ttLib import TTFont
from PIL import Image

FONT = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
PHOTOS = "/usr/lib/python3/dist-packages/skimage/data/"
HERE = os.path.dirname(os.path.abspath(__file__))

# In the order of the classes, eight a row, as app/sources/synth/emoji.cpp names them.
EMOJI = """
1F436 1F431 1F430 1F43B 1F437 1F438 1F435 1F418
1F41F 1F98B 1F41D 1F422 1F427 1F989 1F697 1F68C
1F6B2 2708  26F5  1F680 1F34E 1F34C 1F353 1F349
1F34B 1F355 1F354 1F369 1F382 1F366 2615  1F4D5
1F4F1 1F4BB 1F4F7 23F0  1F511 1F4A1 1F528 1F3B8
1F3BA 1F941 26BD  1F3C0 1F3C6 1F381 1F388 2614
1F332 1F335 1F33B 1F339 1F344 2764  2B50  1F319
1F3E0 1FA91 1F600 1F47B 1F916 1F9D1 1F451 1F45F
""".split()
CELL, INNER = 128, 120  # a cell of the sheet, and the longer side of what is drawn in it


def emoji(font, code):
    """One emoji, cut out and centred in its cell."""
    bitmap = font["CBDT"].strikeData[0][font.getBestCmap()[int(code, 16)]].imageData
    picture = Image.open(io.BytesIO(bitmap)).convert("RGBA")
    picture = picture.crop(picture.getchannel("A").point(lambda a: 255 * (a > 100)).getbbox())
    scale = INNER / max(picture.size)
    picture = picture.resize([max(1, round(side * scale)) for side in picture.size], Image.LANCZOS)
    cell = Image.new("RGBA", (CELL, CELL))
    cell.paste(picture, ((CELL - picture.width) // 2, (CELL - picture.height) // 2))
    return cell


def coarser(sheet):
    """Six bits a colour, five of transparency, nothing where nothing is seen: a third smaller."""
    bands = [band.point(lambda v: min(255, (v + 2) // 4 * 4)) for band in sheet.split()[:3]]
    alpha = sheet.getchannel("A").point(lambda a: min(255, (a + 4) // 8 * 8))
    alpha = alpha.point(lambda a: 255 if a >= 248 else a)
    sheet = Image.merge("RGBA", (*bands, alpha))
    return Image.composite(sheet, Image.new("RGBA", sheet.size), alpha.point(lambda a: 255 * (a > 0)))


def photo(name, mode, size=(320, 240)):
    picture = Image.open(PHOTOS + name).convert(mode)
    scale = max(size[0] / picture.width, size[1] / picture.height)
    picture = picture.resize([round(side * scale) for side in picture.size], Image.LANCZOS)
    left, top = (picture.width - size[0]) // 2, (picture.height - size[1]) // 2
    return picture.crop((left, top, left + size[0], top + size[1]))


def save(picture, name):
    picture.save(os.path.join(HERE, name), optimize=True, icc_profile=None)


font = TTFont(FONT)
sheet = Image.new("RGBA", (8 * CELL, 8 * CELL))
for i, code in enumerate(EMOJI):
    sheet.paste(emoji(font, code), (i % 8 * CELL, i // 8 * CELL))
save(coarser(sheet), "emoji.png")
# Grey, because the camera tints them; 32 shades are enough behind noise.
for name in ("brick", "grass", "gravel"):
    save(photo(name + ".png", "L").quantize(32), name + ".png")
save(photo("hubble_deep_field.jpg", "RGB").quantize(128, kmeans=2), "stars.png")
