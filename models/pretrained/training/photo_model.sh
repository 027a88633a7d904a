#!/bin/bash
# One of the bundled models for photographs, from public data to its folder:
#     ./photo_model.sh detector|captioner|captioner-2015|classifier|classifier-2018 DATA [OPTIONS]
# DATA holds what README.md lists: clones of the pictures' repositories, and the annotations as they are
# published. What is made on the way stays there, and is not made twice. OPTIONS go to the trainings:
# --seconds 60 --device cpu --chunks 1 tries the way once.
set -euo pipefail

model=${1:-} data=$(realpath "${2:-/nowhere}") options=("${@:3}")
case $model in detector | captioner | captioner-2015 | classifier | classifier-2018) ;; *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;; esac
[ -d "$data" ] || { echo "photo_model.sh: there is no folder '${2:-}'" >&2; exit 2; }
cd "$(dirname "$0")"
tables=$data/annotations packed=$data/packed unpacked=$data/unpacked
photos=(--packed "$packed" --unpacked "$unpacked")

coco() {
    [ -f "$tables/boxes.json.gz" ] || python3 annotations.py coco \
        "$data/instances_train2017.json" "$data/captions_train2017.json" -o "$tables"
    python3 pack_photos.py "$data/cnn-edge-detection" "$tables/boxes.json.gz" "$@" -o "$packed"
}
case $model in
detector)
    coco
    python3 photos.py "$packed" -o "$unpacked"
    python3 train_photo_detector.py "${photos[@]}" "${options[@]}"
    ;;
captioner | captioner-2015)
    coco --captions "$tables/coco_captions.tsv.gz"
    python3 photos.py "$packed" -o "$unpacked"
    kind=vit
    [ $model = captioner ] || kind=2015
    python3 train_photo_captioner.py "${photos[@]}" --annotations "$tables" --model $kind "${options[@]}"
    ;;
classifier | classifier-2018)
    coco
    python3 photos.py "$packed" -o "$unpacked"
    naming=("${photos[@]}" --annotations "$tables")
    case $model in
    classifier) python3 train_photo_classifier.py "${naming[@]}" "${options[@]}" ;;
    *) python3 train_photo_classifier.py "${naming[@]}" --model cnn --batch 1024 --seconds 62 "${options[@]}" ;;
    esac
    ;;
esac
