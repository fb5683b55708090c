// A generator, of which the compiler makes functions of its own.
#include <coroutine>

struct numbers {
	struct promise_type {
		int value;
		numbers get_return_object()
		{
			return { std::coroutine_handle<promise_type>::
			    from_promise(*this) };
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int n)
		{
			value = n;
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};

	std::coroutine_handle<promise_type> handle;
	~numbers() { handle.destroy(); }
	bool next()
	{
		handle.resume();
		return !handle.done();
	}
};

static numbers
below(int n)
{
	for (int i = 0; i < n; i++) {
		if (i % 2 == 0 || i == 3)
			co_yield i;
	}
}

numbers
never(int n)
{
	co_yield n;
}

int
main()
{
	numbers all = below(6);
	int sum = 0;

	while (all.next())
		sum += all.handle.promise().value;
	return sum != 9;
}
