# The Node image has npm, which installs Deno.
FROM node:24-trixie-slim AS deno
RUN npm install --global deno@2.9.6 && npm cache clean --force
ENV DENO_DIR=/deno NO_COLOR=1

# Deno installs everything in deno.lock. The tests are left out (.dockerignore), and so are their
# packages.
FROM deno AS source
WORKDIR /source
COPY . .
RUN sed -i '/"workspace"/d' deno.json && deno install --lockfile-only

FROM deno
ENV DATA_DIR=/data
WORKDIR /app
RUN mkdir /deno /data && chown node:node /app /deno /data
USER node

# A layer of its own for the dependencies, reused while only the code changes.
COPY --chown=node:node --from=source /source/deno.json /source/deno.lock ./
RUN deno install --frozen
COPY --chown=node:node --from=source /source .
# Puts the bundler into the image, so starting needs no registry.
RUN deno task build

VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["deno", "eval", "const { ok } = await fetch(`http://127.0.0.1:${Deno.env.get('PORT') || 8000}/health`); Deno.exit(ok ? 0 : 1)"]
CMD ["deno", "task", "start"]
