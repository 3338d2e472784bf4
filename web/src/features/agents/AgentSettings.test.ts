import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AgentSettings } from './AgentSettings'
import { agentSettings } from './queries'

test('N6: what has been read stays when reading it again fails', () => {
  const client = new QueryClient()
  const { queryKey } = agentSettings('a')
  client.setQueryData(queryKey, {
    review_required: true,
    review_sensitive: false,
    builder_chat_session_id: null,
  })
  client
    .getQueryCache()
    .find({ queryKey })
    ?.setState({ status: 'error', error: new Error('It broke.') })
  const page = createElement(AgentSettings, { agentId: 'a' })
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client }, page))
  expect(html).toContain('type="checkbox"')
  expect(html).not.toContain('It broke.')
})
