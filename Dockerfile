# The image of the web and worker processes of docker-compose.yml.
FROM node:22-bookworm-slim AS assets
WORKDIR /site
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund

FROM python:3.11-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data
RUN apt-get update && apt-get install -y --no-install-recommends libxrender1 libxext6 libexpat1 \
    && rm -rf /var/lib/apt/lists/* && useradd --create-home site && install -d -o site /data
WORKDIR /site
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY --from=assets /site/node_modules ./node_modules
COPY . .
RUN python bin/collect_assets.py && SECRET_KEY=build-only DATA_DIR=/tmp/build python manage.py collectstatic --noinput \
    && mv /tmp/build/static /site/static && chown -R site /site/static
ENV STATIC_ROOT=/site/static
USER site
EXPOSE 8000
CMD ["gunicorn", "chembench_site.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", "--reuse-port"]
