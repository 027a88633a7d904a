#!/bin/bash
# One task of a Slurm array: one shard of a batch. From the folder in which ./saccade lies:
#   ./saccade batch videos/ -o out --plan --shards 64
#   job=$(sbatch --parsable --array=0-63%8 app/batch/recipes/slurm.sh videos/ -o out)
#   sbatch --dependency=afterany:$job --wrap './saccade merge out'
# The program is that which ./saccade has built; SACCADE names another.
#SBATCH --job-name=saccade --gpus=1 --cpus-per-task=4 --time=4:00:00
#SBATCH --requeue --open-mode=append --signal=TERM@60
srun "${SACCADE:-build/app/saccade}" batch "$@" --shard auto --resume
status=$?
# 75: interrupted, at the end of its time, or short of a resource. Above 128: killed. Slurm requeues neither on its own.
# Anything else does not get better by trying again, and after ten times nothing does.
if [ "$status" = 75 ] || [ "$status" -gt 128 ]; then
    if [ "${SLURM_RESTART_COUNT:-0}" -lt 10 ]; then
        scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"  # SLURM_JOB_ID may be the whole array's
    fi
fi
exit "$status"
