const PATHS = {
  wheel:
    'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM12 2v7.5M12 14.5V22M2 12h7.5M14.5 12H22M4.9 4.9l5.3 5.3M13.8 13.8l5.3 5.3M19.1 4.9l-5.3 5.3M10.2 13.8l-5.3 5.3',
  chat: 'M4 5h16v11H9l-5 4V5Z',
  build: 'M4 4h6v6H4V4ZM14 14h6v6h-6v-6ZM10 7h4a3 3 0 0 1 3 3v4',
  library: 'M5 4v16M9 4v16M13 5l5 15M19 20H4',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM19 12a7 7 0 0 0-.1-1.2l2-1.6-2-3.4-2.4 1a7 7 0 0 0-2-1.2L14 3h-4l-.5 2.6a7 7 0 0 0-2 1.2l-2.4-1-2 3.4 2 1.6a7 7 0 0 0 0 2.4l-2 1.6 2 3.4 2.4-1a7 7 0 0 0 2 1.2L10 21h4l.5-2.6a7 7 0 0 0 2-1.2l2.4 1 2-3.4-2-1.6c.1-.4.1-.8.1-1.2Z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  grid: 'M4 4h16v16H4V4ZM4 12h16M12 4v16',
  arrange: 'M3 5h6v5H3V5ZM3 14h6v5H3v-5ZM15 9h6v6h-6V9ZM9 7.5h3V12h3M9 16.5h3V12',
  key: 'M8 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 12h9v4M17 12v3',
  lock: 'M6 11h12v9H6v-9ZM8 11V8a4 4 0 0 1 8 0v3',
  unlock: 'M6 11h12v9H6v-9ZM8 11V8a4 4 0 0 1 7.5-2',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  star: 'M12 4l2.5 5.2 5.7.8-4.1 4 1 5.6-5.1-2.7-5.1 2.7 1-5.6-4.1-4 5.7-.8L12 4Z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5',
  send: 'M12 20V4M5 11l7-7 7 7',
  stop: 'M6 6h12v12H6V6Z',
  copy: 'M9 9h11v11H9V9ZM5 15H4V4h11v1',
  check: 'M4 12l5 5L20 6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  save: 'M12 4v11M7 10l5 5 5-5M4 20h16',
  left: 'M15 6l-6 6 6 6',
  right: 'M9 6l6 6-6 6',
  pin: 'M9 4h6l-1 6 3 3H7l3-3-1-6ZM12 13v7',
  edit: 'M4 20h4L19 9l-4-4L4 16v4Z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  play: 'M7 4l13 8-13 8V4Z',
  image: 'M4 5h16v14H4V5ZM4 16l5-5 4 4 3-3 4 4',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4l3 2',
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
  thought: 'M12 4a6 6 0 0 0-3.5 10.9V18h7v-3.1A6 6 0 0 0 12 4ZM9.5 21h5',
  warning: 'M12 4 3 20h18L12 4ZM12 10v4M12 17h.01',
  list: 'M4 6h16M4 12h16M4 18h16',
} as const

export type IconName = keyof typeof PATHS

/** A picture beside words; it says nothing by itself. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
