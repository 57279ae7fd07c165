# Packages and the scripts of the pages are made here; npm installs Deno.
FROM node:24.11.1-trixie-slim AS build
RUN npm install --global deno@2.9.6
ENV DENO_DIR=/deno NO_COLOR=1
WORKDIR /app
# A layer of their own for the packages, reused while only the code changes.
COPY deno.json deno.lock ./
RUN deno install --frozen --quiet
COPY . .
RUN deno task build
# What `--version` says, where it is given by --build-arg.
ARG COMMIT=""
RUN test -z "$COMMIT" || echo "$COMMIT" > dist/commit

# Only Deno and the project: nothing is installed or built at the start.
FROM debian:trixie-20251117-slim
COPY --from=build /usr/local/lib/node_modules/deno/deno /usr/local/bin/deno
COPY --from=build /app /app
RUN useradd --uid 1000 --no-create-home roadcast && install --directory --owner=roadcast /data /deno
ENV DENO_DIR=/deno DATA_DIR=/data NO_COLOR=1 DENO_NO_UPDATE_CHECK=1
WORKDIR /app
USER roadcast
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["deno", "eval", "const { ok } = await fetch(`http://127.0.0.1:${Deno.env.get('PORT') || 8000}/health`); Deno.exit(ok ? 0 : 1)"]
CMD ["deno", "task", "start"]
