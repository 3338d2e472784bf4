// Runs inside the sandbox, and nowhere else: the program, and then what its last line is worth.
const fs = require('node:fs')
const vm = require('node:vm')
const { createRequire } = require('node:module')

const MAIN = '/job/main.js'
const MOST = 200_000

function told(value) {
  const text = typeof value === 'string' ? value : require('node:util').inspect(value)
  const found = { text: text.slice(0, MOST) }
  try {
    const json = JSON.stringify(value)
    if (json !== undefined && json.length <= MOST) found.json = JSON.parse(json)
  } catch {
    // Not every value can be written as JSON; its text stands.
  }
  return found
}

function prepared(source) {
  try {
    return new vm.Script(source, { filename: MAIN })
  } catch (fault) {
    if (!(fault instanceof SyntaxError) || !/\bawait\b/.test(source)) throw fault
    return new vm.Script(`(async () => {\n${source}\n})()`, { filename: MAIN, lineOffset: -1 })
  }
}

async function main() {
  const names = JSON.parse(fs.readFileSync('/job/variables.json', 'utf8'))
  Object.assign(globalThis, names, { require: createRequire('/work/main.js') })
  const value = await prepared(fs.readFileSync(MAIN, 'utf8')).runInThisContext()
  if (value !== undefined && value !== null) fs.writeFileSync('/out/result.json', JSON.stringify(told(value)))
}

main().catch((fault) => {
  console.error(fault)
  process.exitCode = 1
})
