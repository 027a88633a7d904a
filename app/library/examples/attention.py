"""attention.py MODEL PICTURE OUT.png: what the strongest detection in a picture looks at, drawn over it."""
import sys
import numpy
import saccade
from PIL import Image

picture = Image.open(sys.argv[2]).convert("RGB")
result = saccade.open(sys.argv[1])(picture, threshold=0.0, most=1)
cells, (left, top, width, height) = result.attention_map(query=int(result.queries[0]))
heat = Image.fromarray(numpy.uint8(190 * (cells / cells.max()) ** 0.5))
heat = heat.resize((round(width * cells.shape[1]), round(height * cells.shape[0])), Image.BICUBIC)
shade = Image.new("L", picture.size)
shade.paste(heat, (round(left), round(top)))
Image.composite(Image.new("RGB", picture.size, "orange"), picture, shade).save(sys.argv[3])
print(result.labels[0], result.boxes[0].round(1))
