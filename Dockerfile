# One image for every process of the service: migrate, ingress and workers are commands of it.

# Node 24 has long-term support until April 2028; Debian, because npm's prebuilt libraries are linked against glibc.
FROM node:24-trixie-slim AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS build
# The bundler is a development package.
ENV NODE_ENV=development
COPY package.json package-lock.json .npmrc ./
# No package needs its install script for bundling.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY shared shared
COPY ingress ingress
COPY workers workers
COPY cli cli
# Their words are checked here, and become part of the bundles.
COPY policies policies
RUN npm run bundle

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
# Optional packages are the embedded PostgreSQL, which a deployment does not use.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM base
LABEL org.opencontainers.image.title="Custos" \
      org.opencontainers.image.description="A governance service for software agents" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY policies policies
# An empty volume that is mounted here takes over the owner: the workers write signed checkpoints to it.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/custos/checkpoints
# The image's own unprivileged user; nothing else in the image is writable for it.
USER node
EXPOSE 3000
# Exec form: the process is number 1 of its container and receives SIGTERM itself.
CMD ["node", "--max-semi-space-size=32", "dist/ingress/main.js"]
