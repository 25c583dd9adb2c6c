"""A DAG of Airflow 3 that grades yesterday's runs every night; replace what stands in capitals.

The run id holds the day, so that a retry replaces what the failed attempt left.
"""

import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

DAY = "{{ macros.ds_add(ds, -1) }}"
COMMAND = (
    f"gradebeam run --job /job/job.yaml --run-id nightly-{DAY}"
    f" --input 's3://BUCKET/runs/{DAY}/*.parquet' --output 's3://BUCKET/graded/{{run_id}}'"
)

with DAG(
    "gradebeam_nightly",
    schedule="30 2 * * *",
    start_date=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    catchup=False,
    max_active_runs=1,  # Two attempts of a run must not run at once.
):
    grade = BashOperator(
        task_id="grade",
        bash_command=COMMAND,
        retries=2,
        retry_delay=datetime.timedelta(minutes=5),
    )
