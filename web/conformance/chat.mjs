// The real AI SDK as a client of our stream:
//   node conformance/chat.mjs <package> <url of the sessions> <api key> '<sessions>'
// Prints what its own Chat made of each turn, as JSON; tests/features/chat/test_conformance.py judges it.

const [name, base, key, given] = process.argv.slice(2)
const {
  AbstractChat,
  DefaultChatTransport,
  parseJsonEventStream,
  safeValidateUIMessages,
  uiMessageChunkSchema,
} = await import(name)
const sessions = JSON.parse(given)
const headers = { Authorization: `Bearer ${key}` }

/** The least that a chat needs to keep its state outside a framework. */
class State {
  status = 'ready'
  error = undefined
  messages = []
  pushMessage = (message) => this.messages.push(message)
  popMessage = () => this.messages.pop()
  replaceMessage = (index, message) => {
    this.messages[index] = message
  }
  snapshot = (value) => structuredClone(value)
}

class Chat extends AbstractChat {
  constructor(id) {
    const faults = []
    const data = new Set()
    const answers = []
    super({
      id,
      generateId: () => crypto.randomUUID(),
      state: new State(),
      onError: (error) => faults.push(String(error)),
      onData: (part) => data.add(part.type),
      transport: new DefaultChatTransport({
        headers,
        fetch: async (...asked) => {
          const answer = await fetch(...asked)
          answers.push(answer.status)
          return answer
        },
        prepareSendMessagesRequest: ({ id: chat, messages }) => {
          const last = messages.at(-1)
          return {
            api: `${base}/${chat}/stream`,
            body: { message: last.parts[0].text, message_id: last.id },
            headers,
          }
        },
        prepareReconnectToStreamRequest: ({ id: chat }) => ({ api: `${base}/${chat}/stream`, headers }),
      }),
    })
    Object.assign(this, { faults, data, answers })
  }
}

const report = async (chat) => ({
  status: chat.status,
  error: chat.error?.message ?? null,
  faults: chat.faults,
  messages: chat.messages,
  data: [...chat.data],
  answered: chat.answers.at(-1),
  valid: chat.messages.length === 0 || (await safeValidateUIMessages({ messages: chat.messages })).success,
})

const until = async (ask) => {
  while (!ask()) await new Promise((done) => setTimeout(done, 20))
}

const answer = (chat) => chat.messages.find((message) => message.role === 'assistant')
const text = (chat) => (answer(chat)?.parts ?? []).map((part) => part.text ?? '').join('')

const cancel = (id) => fetch(`${base}/${id}/cancel`, { method: 'POST', headers })

/** Say something, and hang up as soon as the answer has these words. */
const cut = async (chat, say, words) => {
  const sending = chat.sendMessage({ text: say })
  await until(() => text(chat).includes(words))
  await chat.stop()
  await sending
}

/** Every chunk against the package's own schema, also those that its Chat would not look at after an error. */
const judged = async (id, say, seen = () => {}) => {
  const heard = await fetch(`${base}/${id}/stream`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ message: say }),
  })
  const types = []
  const refused = []
  for await (const chunk of parseJsonEventStream({ stream: heard.body, schema: uiMessageChunkSchema })) {
    if (chunk.success) types.push(chunk.value.type)
    else refused.push({ raw: chunk.rawValue, error: String(chunk.error) })
    seen(chunk.value)
  }
  return { types, refused }
}

const scenes = {
  async whole({ id, say }) {
    const chat = new Chat(id)
    await chat.sendMessage({ text: say })
    return report(chat)
  },
  async abort({ id, say }) {
    const chat = new Chat(id)
    const sending = chat.sendMessage({ text: say })
    await until(() => text(chat).includes('half a'))
    await cancel(id)
    await sending
    return report(chat)
  },
  /** The page hangs up and comes back, half an answer in hand; only then is the turn cancelled. */
  async left({ id, say }) {
    const chat = new Chat(id)
    await cut(chat, say, 'half a')
    const resuming = chat.resumeStream()
    await until(() => chat.status === 'streaming')
    await cancel(id)
    await resuming
    return report(chat)
  },
  async resume({ id, say }) {
    const chat = new Chat(id)
    await cut(chat, say, 'one')
    await chat.resumeStream()
    return report(chat)
  },
  /** Another page that has the question, and nothing of the answer. */
  async reload({ id, say }) {
    const first = new Chat(id)
    await cut(first, say, 'one')
    const second = new Chat(id)
    second.messages = first.messages.slice(0, 1)
    await second.resumeStream()
    return report(second)
  },
  async ended({ id, say }) {
    const first = new Chat(id)
    await first.sendMessage({ text: say })
    const second = new Chat(id)
    second.messages = first.messages.slice(0, 1)
    await second.resumeStream()
    return report(second)
  },
  async nothing({ id }) {
    const chat = new Chat(id)
    await chat.resumeStream()
    return report(chat)
  },
  async chunks({ id, say }) {
    return judged(id, say)
  },
  async cancelled({ id, say }) {
    return judged(id, say, (chunk) => chunk?.type === 'text-delta' && cancel(id))
  },
}

const told = {}
for (const [name, session] of Object.entries(sessions)) {
  told[name] = await scenes[session.scene](session)
}
process.stdout.write(JSON.stringify(told))
process.exit(0)
