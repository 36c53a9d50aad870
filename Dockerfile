# syntax=docker/dockerfile:1
# docker build -t burgee -t burgee:0.1.0 . && docker run -p 4242:4242 -v burgee:/data burgee
# On Node 22 and 24 the fast HTTP front needs glibc 2.38: Debian 13 (trixie) has it; on Debian 12 and Alpine the slower Node front would serve.

FROM node:24-trixie-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY test/sdks/typed-client test/sdks/typed-client
# No package of ours needs its install script: what is native comes as prebuilt binaries.
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY tools tools
COPY src src
COPY bench bench
COPY openapi.json ./
COPY console console
# Installs the packages that build the console, in console/. A service without it would start, so it is asked for.
RUN npm run build && test -f dist/console/index.html
# What is left is what runs on this platform: no compiler, no other platform's binaries.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund && node tools/slim.mjs node_modules && rm -rf dist/src dist/bench dist/test dist/.tsbuildinfo && chmod +x "$(node -p 'require("./package.json").bin.burgee')"

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="Burgee" org.opencontainers.image.description="A feature-flag service that speaks Unleash" org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist dist
COPY package.json LICENSE README.md redis.conf ./
RUN ln -s "/app/$(node -p 'require("./package.json").bin.burgee')" /usr/local/bin/burgee && install -d -o 1000 -g 1000 -m 0700 /data /backups
# Numbers, so that Kubernetes can tell that it is not root. Everything but /data may be read-only; a volume at /backups gets the same owner.
USER 1000:1000
VOLUME /data
EXPOSE 4242 3063 3043
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["burgee", "health"]
ENTRYPOINT ["burgee"]
CMD ["serve"]
