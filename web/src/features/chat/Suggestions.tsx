const SUGGESTIONS = [
  'Build an agent that takes a name and greets it',
  'Find blocks for working with text',
  'Search my library',
  'Help: what can you do?',
] as const

/** An empty page says what can be asked. */
export function Suggestions({ name, onPick }: { name: string; onPick: (text: string) => void }) {
  return (
    <div className="welcome">
      <h1>
        {greeting(new Date().getHours())}, {name.split(' ')[0]}
      </h1>
      <p className="quiet">
        Say what should get done. AutoPilot finds, builds, runs and watches agents for it.
      </p>
      <ul>
        {SUGGESTIONS.map((suggestion) => (
          <li key={suggestion}>
            <button type="button" className="suggestion" onClick={() => onPick(suggestion)}>
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function greeting(hour: number): string {
  if (hour < 5) return 'Good night'
  if (hour < 12) return 'Good morning'
  return hour < 18 ? 'Good afternoon' : 'Good evening'
}
