-- Notes that an instance is there; returns how many are.
-- KEYS: all of them. ARGV: its id, and after how many microseconds without a word one is gone.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[2])))
return redis.call('ZCARD', KEYS[1])
