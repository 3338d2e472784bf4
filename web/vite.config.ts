import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const server = 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  // The server's content policy allows no inline script and no data: font, so nothing is inlined.
  build: { assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } },
  // The server accepts unsafe requests only from its own origin; the browser's is the dev server's.
  server: {
    proxy: {
      '/api': {
        target: server,
        changeOrigin: true,
        headers: { origin: 'http://localhost:8000' },
      },
    },
  },
  test: { include: ['src/**/*.test.ts'] },
})
