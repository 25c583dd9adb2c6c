# Beam's worker with gradebeam in it, for the workers of Dataflow and for worker pools in Kubernetes.
#
#   docker build -f scripts/images/worker.Dockerfile -t REGISTRY/gradebeam/worker:0.1.0 .
#
# Its Beam must be the one that starts the job. Plugins are added below. It starts a worker as Dataflow wants it; with
# `--worker_pool` it is a pool on port 50000, as Flink wants it.
ARG BEAM=2.77.0
FROM apache/beam_python3.11_sdk:${BEAM}
ARG BEAM
WORKDIR /opt/gradebeam
COPY pyproject.toml README.md LICENSE ./
COPY configs/constraints.txt configs/constraints.txt
COPY graders graders
COPY pipeline pipeline
RUN pip install --no-cache-dir --constraint configs/constraints.txt "apache-beam[gcp]==${BEAM}" . \
    && pip check
# As pipeline/__init__.py has it, which comes too late where Beam has loaded Arrow.
ENV ARROW_DEFAULT_MEMORY_POOL=jemalloc JE_ARROW_MALLOC_CONF=dirty_decay_ms:10000,muzzy_decay_ms:0
# RUN pip install --no-cache-dir my-checks
