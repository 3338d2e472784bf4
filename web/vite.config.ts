import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const server = 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  // The server's content policy allows no inline script and no data: font, so nothing is inlined.
  build: { assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } },
  // `make dev` tells the server that this is its public address, so the browser's own origin is the right one.
  server: { proxy: { '/api': { target: server, ws: true } } },
  test: { include: ['src/**/*.test.ts'] },
})
