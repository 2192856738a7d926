"""What the queue's server runs to count an endpoint's calls: each script is one step that nothing can come between.

`TAKE` looks whether calls may go out, and counts those that do; `ADD` corrects, or repeats, what was counted; `HOLD`
lets nobody call for a while. Their keys and arguments are put together in `rate_limits`.
"""

TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local width, whole, burst, part = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local bucket = math.floor(now / width)
local workers = redis.call('SCARD', KEYS[5])
local memory = redis.call('GET', KEYS[4])
if not memory then
  memory = string.format('%.0f', now)
  redis.call('SET', KEYS[4], memory)
end
redis.call('EXPIRE', KEYS[4], ARGV[9])
if memory ~= ARGV[1] then return {-1, 0, bucket, workers, memory} end
local ends, lasts = string.match(redis.call('GET', KEYS[3]) or '', '(%d+) (%d+)')
if ends then
  local left = ends - now
  if left > tonumber(lasts) then
    left = tonumber(lasts)
    redis.call('SET', KEYS[3], string.format('%.0f %.0f', now + left, left), 'PX', lasts)
  end
  if left > 0 then return {0, left, bucket, workers, memory} end
end
local fresh = memory + ARGV[8] - now
if fresh > 0 and fresh <= tonumber(ARGV[8]) then return {0, fresh, bucket, workers, memory} end

local function used(key)
  local all, lately = 0, 0
  local fields = redis.call('HGETALL', key)
  for index = 1, #fields, 2 do
    local age, amount = bucket - fields[index], tonumber(fields[index + 1])
    if age < 0 then
      redis.call('HINCRBY', key, bucket, amount)
      redis.call('HDEL', key, fields[index])
      age = 0
    end
    if age >= whole then redis.call('HDEL', key, fields[index]) else
      all = all + amount
      if age < burst then lately = lately + amount end
    end
  end
  return {all, lately}
end
local function fits(limit, counted, cost)
  if limit == 0 then return true end
  local most = math.ceil(limit / part)
  return counted[1] + cost <= limit and (counted[2] <= 0 or counted[2] + cost <= most)
end

local requests, tokens = tonumber(ARGV[2]), tonumber(ARGV[3])
local calls, words = {0, 0}, {0, 0}
if requests > 0 then calls = used(KEYS[1]) end
if tokens > 0 then words = used(KEYS[2]) end
local granted, sum = 0, 0
for index = 10, #ARGV do
  local cost = tonumber(ARGV[index])
  if not (fits(requests, calls, 1) and fits(tokens, words, cost)) then break end
  granted, sum = granted + 1, sum + cost
  calls = {calls[1] + 1, calls[2] + 1}
  words = {words[1] + cost, words[2] + cost}
end
if granted > 0 then
  redis.call('HINCRBY', KEYS[1], bucket, granted)
  redis.call('HINCRBY', KEYS[2], bucket, sum)
  redis.call('PEXPIRE', KEYS[1], 2 * width * whole)
  redis.call('PEXPIRE', KEYS[2], 2 * width * whole)
end
return {granted, (bucket + 1) * width - now, bucket, workers, memory}
"""
ADD = """
for index = 1, #ARGV, 3 do
  redis.call('HINCRBY', KEYS[1], ARGV[index], ARGV[index + 1])
  redis.call('HINCRBY', KEYS[2], ARGV[index], ARGV[index + 2])
end
redis.call('EXPIRE', KEYS[1], 300)
redis.call('EXPIRE', KEYS[2], 300)
return 1
"""
HOLD = """
local clock = redis.call('TIME')
local ends = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[1])
local before = string.match(redis.call('GET', KEYS[1]) or '', '(%d+) ')
if ends > tonumber(before or 0) then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', ends, ARGV[1]), 'PX', ARGV[1])
end
return 1
"""
