import type { LogKind } from '@/api/live/logs'
import type { ChatEvent } from './events'
import { foldChat } from './reducer'
import { type ChatView, emptyChat } from './view'

export const sessionLog: LogKind<ChatView, ChatEvent> = { name: 'session', empty: emptyChat, fold: foldChat }
