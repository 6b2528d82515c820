# Builds the executable and puts it alone into a small image. Data lives in /data; HTTP 8080, MQTT 1883.
# `--build-arg SOURCE_COMMIT=$(git rev-parse --short=7 HEAD)` tells `lineside --version` the commit.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm install --no-save --no-audit --no-fund
COPY . .
ARG TARGETARCH
ARG SOURCE_COMMIT
RUN case "$TARGETARCH" in arm64) target=linux-arm64 ;; *) target=linux-x64 ;; esac \
    && npm run --silent build -- "$target" && mv "dist/lineside-$target" /lineside

FROM debian:bookworm-slim
RUN useradd --system --home-dir /data --shell /usr/sbin/nologin lineside && mkdir /data && chown lineside /data
COPY --from=build /lineside /usr/local/bin/lineside
USER lineside
WORKDIR /data
ENV LINESIDE_DATA=/data
VOLUME /data
EXPOSE 8080 1883
HEALTHCHECK --interval=30s --timeout=5s CMD ["lineside", "healthcheck"]
ENTRYPOINT ["lineside"]
