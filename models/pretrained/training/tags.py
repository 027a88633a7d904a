"""Tags of photographs, taken from what people say about them: places, materials, weather, actions
and looks. A tag stands for its own name and for the words beside it. Tags that fewer than fifty of
COCO's pictures here are given, or that cannot be told from a picture, are left out."""
import re

import numpy as np

PLACES = {
    "kitchen": (), "bathroom": ("restroom",), "bedroom": (), "living room": (),
    "dining room": ("dining table", "dining"), "office": (), "restaurant": ("cafe", "diner"),
    "store": ("shop", "stores", "shops"), "market": ("stand selling",), "street": ("streets",),
    "road": ("roads", "highway", "freeway"), "sidewalk": ("pavement",),
    "intersection": ("crosswalk",), "city": ("urban", "downtown"), "parking lot": (),
    "park": ("parks",), "field": ("fields",), "forest": ("woods", "wooded", "jungle"),
    "beach": ("shore", "seashore"), "ocean": ("sea",), "river": ("stream", "creek"),
    "lake": ("pond",), "mountain": ("mountains", "mountainside"),
    "hill": ("hills", "hillside", "hilltop"), "ski slope": ("slope", "slopes"),
    "yard": ("backyard", "lawn"), "farm": ("pasture", "ranch", "barn"),
    "zoo": ("enclosure", "enclosed", "exhibit"), "airport": ("runway", "tarmac"),
    "train station": ("station", "platform", "depot"),
    "railway": ("tracks", "track", "railroad", "rails"), "tennis court": ("court",),
    "baseball field": ("baseball diamond", "baseball game", "home plate"),
    "skate park": ("ramp", "half pipe", "skatepark"), "bridge": ("overpass",),
    "harbor": ("dock", "marina", "pier", "harbour", "docked"),
    "house": ("houses", "home"), "building": ("buildings",), "tower": ("steeple", "clock tower"),
    "desk": ("desks",), "counter": ("countertop", "counters", "counter top"),
    "shower": ("bathtub", "tub"), "shelf": ("shelves", "bookshelf"), "fence": ("fenced",),
    "wall": ("walls",), "window": ("windows",), "sky": ("skies",),
    "indoors": ("inside", "indoor"), "outdoors": ("outside", "outdoor")}
MATERIALS = {
    "wooden": ("wood",), "brick": ("bricks",), "metal": ("steel", "stainless"),
    "stone": ("rock", "rocks", "rocky", "stones"), "tile": ("tiled", "tiles"),
    "grass": ("grassy",), "sand": ("sandy",), "dirt": ("dusty", "mud", "muddy"), "water": (),
    "waves": ("wave",), "trees": ("tree",), "flowers": ("flower",),
    "vegetables": ("vegetable", "veggies"), "fruit": ("fruits",),
    "meat": ("chicken", "beef", "steak"), "cheese": ("cheesy",)}
WEATHER = {
    "snow": ("snowy",), "rain": ("rainy", "wet", "raining"),
    "cloudy": ("clouds", "overcast", "cloud"), "sunny": ("sun", "sunlight"),
    "sunset": ("dusk", "sunrise"), "night": ("nighttime",)}
ACTIONS = {
    "sitting": ("sits", "sit", "seated"), "standing": ("stands", "stand"),
    "walking": ("walks", "walk"), "riding": ("rides", "ride"), "holding": ("holds", "hold"),
    "playing": ("plays", "play"), "flying": ("flies", "fly"), "eating": ("eats", "eat"),
    "driving": ("drives", "traveling", "travelling"), "parked": (),
    "lying": ("laying", "lays", "lies", "lay"), "sleeping": ("sleeps", "asleep", "napping"),
    "jumping": ("jumps", "jump"), "running": ("runs", "run"), "skiing": ("skier", "skiers"),
    "surfing": ("surfer", "surfers", "surfs"),
    "skateboarding": ("skateboarder", "skateboarders", "skating"),
    "snowboarding": ("snowboarder", "snowboarders"), "swinging": ("swings", "swing"),
    "throwing": ("throws", "throw", "pitching"), "catching": ("catch", "catches"),
    "hitting": ("hit", "hits"), "cooking": ("preparing", "baking", "cook", "cooks", "cooked"),
    "cutting": ("cuts", "cut", "slicing"), "smiling": ("smiles", "smile"),
    "posing": ("poses", "pose"), "grazing": ("graze", "grazes"),
    "reading": ("reads", "read"), "swimming": ("swim", "swims"),
    "crossing": ("cross", "crosses"), "doing a trick": ("trick", "tricks", "stunt")}
LOOKS = {
    "red": (), "blue": (), "green": (), "yellow": (), "white": (), "black": (), "brown": (),
    "pink": (), "gray": ("grey",), "colorful": ("multicolored", "colourful"),
    "black and white": ("monochrome",), "close-up": ("close up", "closeup"),
    "old": ("vintage", "antique", "old fashioned"), "empty": ("vacant",),
    "crowded": ("crowd", "crowds", "busy"), "tall": (), "lush": (), "double decker": (),
    "in a suit": ("suit", "suits"), "in uniform": ("uniform", "uniforms")}
GROUPS = {"places": PLACES, "materials": MATERIALS, "weather": WEATHER, "actions": ACTIONS,
          "looks": LOOKS}
TAGS = [tag for group in GROUPS.values() for tag in group]


def phrases(text):
    """The words of a caption, its pairs of neighbours and its triples."""
    words = re.findall(r"[a-z]+", text.lower())
    return {" ".join(words[begin:begin + length]) for length in (1, 2, 3)
            for begin in range(len(words) - length + 1)}


def spoken(tag):
    """The phrases that stand for a tag."""
    words = next(group[tag] for group in GROUPS.values() if tag in group)
    return {tag.replace("-", " "), *words}


WORDS = {phrase: index for index, tag in enumerate(TAGS) for phrase in spoken(tag)}


def table(pictures, captions):
    """Which tags the captions {picture: [caption]} of each picture name, (pictures, tags), and
    whether it has captions."""
    named = np.zeros((len(pictures), len(TAGS)), bool)
    captioned = np.zeros(len(pictures), bool)
    for row, picture in enumerate(pictures):
        for text in captions.get(str(picture), []):
            captioned[row] = True
            for phrase in phrases(text) & WORDS.keys():
                named[row, WORDS[phrase]] = True
    return named, captioned
