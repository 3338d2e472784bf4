import { useAnsweringModel } from '@/features/chat/useAnsweringModel'
import { CodeBlock } from '@/ui/CodeBlock'

const LOCAL = `PILOTHOUSE_LLM_OPENAI_BASE_URL=http://127.0.0.1:11434/v1
PILOTHOUSE_CHAT_MODEL=openai/llama3.1`

/** Which model answers, and how to connect another. */
export function Models() {
  const model = useAnsweringModel()
  return (
    <section className="panel stack" aria-labelledby="models">
      <h2 id="models">Models</h2>
      {model !== null && model !== 'offline' ? (
        <p>
          AutoPilot answers with <code>{model}</code>.
        </p>
      ) : (
        <p>
          AutoPilot answers with the built-in <strong>offline pilot</strong>. It understands a small,
          documented set of requests, costs nothing and needs no network.
        </p>
      )}
      <p className="quiet">To connect a model, set these where the server starts, and start it again:</p>
      <CodeBlock code={LOCAL} language="environment" />
    </section>
  )
}
