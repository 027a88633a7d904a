"""The 64 emoji that the models know, and others that they are to leave alone."""

# code point, singular, plural; the order is that of the models' labels
_TABLE = """
1F436 dog dogs | 1F431 cat cats | 1F430 rabbit rabbits | 1F43B bear bears
1F437 pig pigs | 1F438 frog frogs | 1F435 monkey monkeys | 1F418 elephant elephants
1F41F fish fish | 1F98B butterfly butterflies | 1F41D bee bees | 1F422 turtle turtles
1F427 penguin penguins | 1F989 owl owls | 1F697 red_car red_cars | 1F68C bus buses
1F6B2 bicycle bicycles | 2708 airplane airplanes | 26F5 boat boats | 1F680 rocket rockets
1F34E red_apple red_apples | 1F34C banana bananas | 1F353 strawberry strawberries
1F349 watermelon watermelons | 1F34B lemon lemons | 1F355 pizza pizzas | 1F354 burger burgers
1F369 donut donuts | 1F382 cake cakes | 1F366 ice_cream ice_creams | 2615 cup cups
1F4D5 red_book red_books | 1F4F1 phone phones | 1F4BB laptop laptops | 1F4F7 camera cameras
23F0 clock clocks | 1F511 key keys | 1F4A1 light_bulb light_bulbs | 1F528 hammer hammers
1F3B8 guitar guitars | 1F3BA trumpet trumpets | 1F941 drum drums | 26BD soccer_ball soccer_balls
1F3C0 basketball basketballs | 1F3C6 trophy trophies | 1F381 gift gifts
1F388 red_balloon red_balloons | 2614 umbrella umbrellas | 1F332 tree trees | 1F335 cactus cacti
1F33B sunflower sunflowers | 1F339 rose roses | 1F344 mushroom mushrooms
2764 red_heart red_hearts | 2B50 star stars | 1F319 moon moons | 1F3E0 house houses
1FA91 chair chairs | 1F600 smiley smileys | 1F47B ghost ghosts | 1F916 robot robots
1F9D1 person people | 1F451 crown crowns | 1F45F shoe shoes
"""

_ENTRIES = [entry.split() for entry in _TABLE.strip().replace("\n", "|").split("|")]

CODE_POINTS = [int(code, 16) for code, _, _ in _ENTRIES]
NAMES = [name.replace("_", " ") for _, name, _ in _ENTRIES]
PLURALS = [plural.replace("_", " ") for _, _, plural in _ENTRIES]

# Emoji that look like none of the 64, so that no honest label is called a mistake.
DISTRACTORS = [int(code, 16) for code in """
1F40D 1F419 1F41A 1F40C 1F982 1F980 1F990 1F991 1F433 1F40A 1F995 1F99A 1F9A9 1F577 1F997 1F34A
1F347 1F350 1F351 1F352 1F34D 1F965 1F951 1F346 1F954 1F955 1F33D 1F336 1F952 1F966 1F9C5 1F95C
1F35E 1F950 1F956 1F968 1F9C0 1F356 1F357 1F953 1F32D 1F32E 1F37F 1F9C2 1F35A 1F363 1F36D 1F36F
1F37C 1F37A 1F377 1F378 1F942 1F95B 1F374 1F3FA 1F30B 1F3DD 1F3DB 1F5FD 1F5FC 1F3A1 1F3A2 1F682
1F69C 1F6F4 2693 1F6A7 1F6A6 1F681 1F6F8 231B 1F321 2744 26C4 2604 1F525 1F4A7
1F30A 1F383 1F386 1F9E8 1F38B 1F380 1F397 1F39F 1F3C5 1F3BE 1F3D0 1F3C8 1F3B1 1F3D3 1F94A 1F94B
1F945 26F3 26F8 1F3BD 1F3BF 1F6F7 1F3AF 1FA80 1F3AE 1F3B2 1F9E9 2660 2663 265F 1F0CF
1F3A8 1F9F5 1F9F6 1F453 1F576 1F454 1F455 1F456 1F457 1F459 1F45C 1F393 1F3A9 1F484 1F48D 1F48E
1F4E3 1F514 1F3BC 1F399 1F4FB 1F50B 1F50C 1F5A8 1F4BE 1F4BF 1F4FA 1F50D 1F56F 1F4B0 1F4B3
2709 1F4E6 1F4EB 270F 1F58C 1F4CC 1F4CE 1F4CF 2702 1F5D1 1F512 1FA93 1F5E1 1F3F9 1F6E1 1F527
1FA9B 2699 1F517 1F9F2 1F9EA 1F9EC 1F52C 1F52D 1F489 1FA79 1F6AA 1F6CF 1F6CB 1F6BD 1F6BF 1F6C1
1F9F9 1F9FA 1F9FB 1F9FC 1F6D2 1F5FF 1F6D1 26A0 267B 1F4AF 1F4A4 1F4A2 1F440 1F445 1F444 1F9B4
1F9B7 1F463 1F480 1F47D 1F47E 1F4A9 1F921 1F479
""".split()]

assert len(NAMES) == 64 and not set(CODE_POINTS) & set(DISTRACTORS)
