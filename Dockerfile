# Builds the executable and puts it alone into a small image. Data lives in /data. The ports are those of the settings' defaults: HTTP 8080,
# HTTPS 8443, MQTT 1883, MQTT over TLS 8883; the two with TLS open with LINESIDE_TLS. How to run it: docs/install.md.
# `--build-arg SOURCE_COMMIT=$(git rev-parse --short=7 HEAD)` tells `lineside --version` the commit.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY src/tools/setup.mjs src/tools/bootstrap.mjs src/tools/locked-packages.mjs src/tools/
# npm brings Bun, and Bun installs the rest: it fails unless every package has the version and the checksum of the lock file.
RUN node src/tools/setup.mjs install
COPY . .
ARG TARGETARCH
ARG SOURCE_COMMIT
RUN case "$TARGETARCH" in arm64) target=linux-arm64 ;; *) target=linux-x64 ;; esac \
    && npm run --silent build -- "$target" && mv "dist/lineside-$target" /lineside

FROM debian:bookworm-slim
# The ids are part of the interface: the files on a volume belong to them, whatever image is built next.
RUN groupadd --system --gid 10001 lineside \
    && useradd --system --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin lineside \
    && mkdir /data && chown lineside:lineside /data
COPY --from=build /lineside /usr/local/bin/lineside
USER 10001:10001
WORKDIR /data
ENV LINESIDE_DATA=/data
VOLUME /data
EXPOSE 8080 8443 1883 8883
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["lineside", "healthcheck"]
ENTRYPOINT ["lineside"]
