/* Objective-C for the oracle tests; it is only compiled. */
__attribute__((objc_root_class))
@interface Shape
+ (int)area:(int)width by:(int)height;
- (int)edges;
@end

@implementation Shape
+ (int)area:(int)width by:(int)height
{
	int (^larger)(int) = ^(int n) { return n > 3 ? width : height; };

	return larger(width) * larger(height);
}

- (int)edges
{
	return 4;
}
@end
