# The image of the service: the Node version that npm installs, the dependencies and the source.
# There is no build step.
#   docker build -t quaestor .
FROM node:24-trixie-slim AS install
WORKDIR /app
COPY package.json package-lock.json ./
# The Node package of the platform also contains headers and documentation, which are removed.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share

FROM debian:trixie-slim
# Shared libraries of Node.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 libstdc++6 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=install /app/node_modules node_modules
COPY package.json run.mjs loader.mjs quaestor.mjs LICENSE ./
COPY src src
COPY console console
# /data is the folder of the embedded database, if QUAESTOR_DATABASE_URL is not set.
RUN ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node \
 && ln -s /app/quaestor.mjs /usr/local/bin/quaestor \
 && install -d -o 10001 -g 10001 -m 0700 /data
# As run.mjs sets them, for Node is started without it.
ENV NODE_OPTIONS=--import=/app/loader.mjs NODE_COMPILE_CACHE=/tmp/quaestor
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 QUAESTOR_DATA_DIR=/data
USER 10001:10001
EXPOSE 3000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is PID 1 and receives signals directly.
CMD ["node", "src/main.ts"]
