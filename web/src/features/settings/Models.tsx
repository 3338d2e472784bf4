import { useFlag } from '@/features/accounts/useFlag'
import { CodeBlock } from '@/ui/CodeBlock'

const EXAMPLES = `# A model on this machine: Ollama,
OLLAMA_BASE_URL=http://127.0.0.1:11434
PILOTHOUSE_CHAT_MODEL=ollama/llama3.2

# or what speaks OpenAI's protocol,
OPENAI_BASE_URL=http://127.0.0.1:8080/v1
PILOTHOUSE_CHAT_MODEL=openai/model-name

# or a provider's key
ANTHROPIC_API_KEY=...
OPENAI_API_KEY=...
OPENROUTER_API_KEY=...`

/** Who answers, and how to connect a model. */
export function Models() {
  const connected = useFlag('model_connected')
  return (
    <section className="panel stack" aria-labelledby="models">
      <h2 id="models">Models</h2>
      {connected ? (
        <p>A model is connected. Each answer names the one that gave it.</p>
      ) : (
        <p>
          The built-in <strong>offline pilot</strong> answers. It understands a small, documented set of
          requests, costs nothing and needs no network.
        </p>
      )}
      <p className="quiet">
        To connect a model, set one of these where the server starts, and start it again:
      </p>
      <CodeBlock code={EXAMPLES} language="environment" />
    </section>
  )
}
